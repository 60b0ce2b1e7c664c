# Tests of pixel formats, images and colours.
onepass_test(color_test unit color_test.cpp)
onepass_test(image_test unit image_test.cpp)
